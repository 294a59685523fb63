{{/*
  Reads the parts of a tenant's configuration that the chart needs into `settings` of the tenant. Rejects values that can only
  fail in the pod. The worker checks the rest. A tenant.
*/}}
{{- define "talent-sync.read-config" -}}
{{- if .config -}}
{{- $place := printf "tenant %s: config" .name -}}
{{- $settings := .config -}}
{{- if kindIs "string" .config -}}
{{- $settings = include "talent-sync.read-text" .config | fromYaml -}}
{{- else -}}
{{- include "talent-sync.check-words" (dict "node" .config "at" $place) -}}
{{- end -}}
{{- $state := toString $settings.state -}}
{{- if or (not (regexMatch "^/var/lib/talent-sync(/|$)" $state)) (contains ".." $state) -}}
{{- fail (printf "%s has state: %s, which is not on the volume. Write `state: /var/lib/talent-sync`." $place ($settings.state | default "(none)")) -}}
{{- end -}}
{{- $schedule := ternary $settings.schedule dict (kindIs "map" $settings.schedule) -}}
{{- if and (eq .mode "daemon") (not $schedule.every) (not $settings.unread) -}}
{{- fail (printf "%s has no schedule.every, which a daemon needs. Write `schedule: { every: \"*/15 * * * *\" }`, or use mode: cronjob." $place) -}}
{{- end -}}
{{- if and .web.enabled (not $settings.unread) -}}
{{- $web := ternary $settings.web dict (kindIs "map" $settings.web) -}}
{{- if not (has (toString $web.listen) (list "0.0.0.0:8090" "[::]:8090")) -}}
{{- fail (printf "%s has web.listen: %s, so nobody can open the pages. Write `web: { listen: \"0.0.0.0:8090\", … }`, or set web.enabled to false." $place ($web.listen | default "(none)")) -}}
{{- end -}}
{{- if not (regexMatch "^/var/lib/talent-sync/" (toString $web.state)) -}}
{{- fail (printf "%s has web.state: %s, which is not on the volume. Write `state: /var/lib/talent-sync/web` under `web:`." $place ($web.state | default "(none)")) -}}
{{- end -}}
{{- end -}}
{{- $_ := set . "settings" $settings -}}
{{- end -}}
{{- end -}}

{{/*
  Turns a configuration given as text into YAML that Helm can read. The worker accepts CEL's `.?` and `[?` in flow maps, but YAML
  1.1 does not, so they are replaced; the chart does not need them. If Helm still cannot read the text, only `state` is known, and
  the worker validates the text.
*/}}
{{- define "talent-sync.read-text" -}}
{{- $settings := . | replace ".?" "." | replace "[?" "[" | fromYaml -}}
{{- if and (hasKey $settings "Error") (not (hasKey $settings "service")) -}}
{{- $line := regexFind "(?m)^[\"']?state[\"']?[ \t]*:[ \t]*[^ \t\r\n#]+" . -}}
{{- $state := regexReplaceAll "^[^:]*:[ \t]*" $line "" | trimAll "\"'" -}}
{{- $settings = dict "unread" $settings.Error "state" $state -}}
{{- end -}}
{{- toYaml $settings -}}
{{- end -}}

{{/*
  Rejects booleans that were probably words. Helm reads YAML 1.1, the worker YAML 1.2. In a map of a values file, Helm turns the
  unquoted words no, off, n, yes, on and y into false and true before the chart sees them. dict: node, at
*/}}
{{- define "talent-sync.check-words" -}}
{{- $advice := "Write such words in quotes, or give config as text (config: |), which stays as it is." -}}
{{- if kindIs "map" .node -}}
{{- range $key, $value := .node -}}
{{- $at := printf "%s.%s" $.at $key -}}
{{- if or (eq $key "false") (and (eq $key "true") (not (kindIs "slice" $value))) -}}
{{- fail (printf "%s: Helm read a key as %s (it was no, off, n, yes, on or y). %s" $at $key $advice) -}}
{{- end -}}
{{- if and (eq $key "true") (has true $value) -}}
{{- fail (printf "%s: Helm read a word as true (it was yes, on, y or true). %s" $at $advice) -}}
{{- end -}}
{{- if and (kindIs "bool" $value) (regexMatch "\\.guards\\.[a-z_]+\\.[a-z]+$" $at) -}}
{{- fail (printf "%s: Helm read a word as %t (it was off, no, on or yes). %s" $at $value $advice) -}}
{{- end -}}
{{- include "talent-sync.check-words" (dict "node" $value "at" $at) -}}
{{- end -}}
{{- else if kindIs "slice" .node -}}
{{- range $index, $value := .node -}}
{{- include "talent-sync.check-words" (dict "node" $value "at" (printf "%s[%d]" $.at $index)) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
  Collects references to things outside the configuration. dict: node, facts (gets env: names of variables, urls: addresses of
  services, folders: where files are delivered, written: where files are written)
*/}}
{{- define "talent-sync.gather" -}}
{{- $facts := .facts -}}
{{- if kindIs "map" .node -}}
{{- range $key, $value := .node -}}
{{- if and (kindIs "string" $value) (eq $key "env") (regexMatch "^[A-Z_][A-Z0-9_]*$" $value) -}}
{{- $_ := set $facts "env" (append $facts.env $value | uniq) -}}
{{- else if and (kindIs "string" $value) (eq $key "base_url") -}}
{{- $_ := set $facts "urls" (append $facts.urls $value | uniq) -}}
{{- else if and (kindIs "string" $value) (eq $key "drop") (not (hasPrefix "sftp://" $value)) -}}
{{- $_ := set $facts "folders" (append $facts.folders $value | uniq) -}}
{{- else if and (kindIs "map" $value) (has $key (list "write_back" "deliver")) -}}
{{- if kindIs "string" $value.drop -}}
{{- $_ := set $facts "written" (append $facts.written $value.drop | uniq) -}}
{{- end -}}
{{- end -}}
{{- include "talent-sync.gather" (dict "node" $value "facts" $facts) -}}
{{- end -}}
{{- else if kindIs "slice" .node -}}
{{- range .node -}}
{{- include "talent-sync.gather" (dict "node" . "facts" $facts) -}}
{{- end -}}
{{- end -}}
{{- end -}}
