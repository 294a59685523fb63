{{/* Prints one line for each setting that works, but perhaps not as intended. dict: root, tenant */}}
{{- define "talent-sync.warnings" -}}
{{- $root := .root -}}
{{- $tenant := .tenant -}}
{{- with .tenant -}}
{{- $facts := dict "env" list "urls" list "folders" list "written" list -}}
{{- include "talent-sync.gather" (dict "node" .settings "facts" $facts) -}}
{{- if not (or .persistence.enabled .backend) }}
- {{ .name }}: no persistence. The state is lost with the pod. Only people whom a source itself reports as leavers are
  deactivated, plans, approvals, links and the audit log are lost, and fields that the service does not show are written again.
{{- end }}
{{- with .settings.unread }}
- {{ $.tenant.name }}: Helm cannot read the configuration, so it was passed on unchanged: {{ . }}
{{- end }}
{{- if and (eq .mode "daemon") (not $root.Values.metrics.enabled) }}
- {{ .name }}: no metrics. Set metrics.enabled and metrics.tokenSecret to watch it.
{{- end }}
{{- if and (eq .mode "daemon") $root.Values.metrics.enabled .networkPolicy.enabled (not .networkPolicy.ingressFrom) }}
- {{ .name }}: the NetworkPolicy blocks all access to the metrics. Name Prometheus in networkPolicy.ingressFrom.
{{- end }}
{{- if and .scimIngress.enabled .networkPolicy.enabled (not .networkPolicy.ingressFrom) }}
- {{ .name }}: the NetworkPolicy blocks all pushes. Name the ingress controller in networkPolicy.ingressFrom.
{{- end }}
{{- if and .web.enabled .networkPolicy.enabled (not .web.ingressFrom) }}
- {{ .name }}: the NetworkPolicy blocks all access to the pages. Name the ingress controller in web.ingressFrom.
{{- end }}
{{- range list .web.ingress .web.route }}
{{- if and $tenant.web.enabled .enabled (kindIs "map" $tenant.settings.web) }}
{{- $wanted := printf "https://%s" .host }}
{{- if ne (toString $tenant.settings.web.public_url | trimSuffix "/") $wanted }}
- {{ $tenant.name }}: people reach the pages at {{ $wanted }}, but web.public_url in the configuration is {{ $tenant.settings.web.public_url | default "not set" }}. Set it to the same address.
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq .mode "cronjob") .extraContainers }}
- {{ .name }}: its Jobs end only when all extraContainers have ended. Move a container that keeps running to extraInitContainers, with restartPolicy: Always.
{{- end }}
{{- $given := include "talent-sync.given-env" . | fromYamlArray -}}
{{- if not (include "talent-sync.env-from" .) -}}
{{- range $facts.env -}}
{{- if not (has . $given) }}
- {{ $.tenant.name }}: the configuration reads {{ . }} from the environment, but neither existingSecrets nor extraEnv sets it.
{{- end -}}
{{- end -}}
{{- end -}}
{{- $mounts := list "/var/lib/talent-sync" -}}
{{- range concat (.drops | default list) .extraVolumeMounts -}}
{{- $mounts = append $mounts .mountPath -}}
{{- end -}}
{{- range $folder := $facts.folders -}}
{{- $found := false -}}
{{- range $mounts -}}
{{- if hasPrefix (printf "%s/" .) (printf "%s/" $folder) -}}
{{- $found = true -}}
{{- end -}}
{{- end -}}
{{- if not $found }}
- {{ $.tenant.name }}: files are expected in {{ $folder }}, but nothing is mounted there. Name a volume in drops, and the full path in the configuration.
{{- end -}}
{{- end -}}
{{- /* Of nested mounts, the one with the longest path counts. */ -}}
{{- range $folder := $facts.written -}}
{{- $at := "" -}}
{{- $only := false -}}
{{- range concat ($tenant.drops | default list) $tenant.extraVolumeMounts -}}
{{- if and (hasPrefix (printf "%s/" .mountPath) (printf "%s/" $folder)) (gt (len .mountPath) (len $at)) -}}
{{- $at = .mountPath -}}
{{- $only = ternary .readOnly (hasKey . "existingClaim") (hasKey . "readOnly") -}}
{{- end -}}
{{- end -}}
{{- if $only }}
- {{ $.tenant.name }}: files would be written to {{ $folder }}, which is mounted read-only. Add an entry to drops for it, with readOnly: false.
{{- end -}}
{{- end -}}
{{- if and .networkPolicy.enabled (not .networkPolicy.egress.extra) -}}
{{- $ports := list -}}
{{- range .networkPolicy.egress.ports -}}
{{- $ports = append $ports (toString (int .)) -}}
{{- end -}}
{{- range $facts.urls -}}
{{- $host := regexFind "^https?://[^/?#]*" . -}}
{{- $port := regexFind ":[0-9]+$" $host | trimPrefix ":" | default (ternary "443" "80" (hasPrefix "https:" .)) -}}
{{- if not (has $port $ports) }}
- {{ $.tenant.name }}: the NetworkPolicy does not let it reach port {{ $port }} of {{ . }}. Add it to networkPolicy.egress.ports.
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "talent-sync.given-env" -}}
{{- $names := list -}}
{{- range .extraEnv -}}
{{- $names = append $names .name -}}
{{- end -}}
{{- toYaml $names -}}
{{- end -}}
