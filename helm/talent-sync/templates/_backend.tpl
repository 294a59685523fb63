{{/*
  Renders the daemons of all tenants as one workload: a tenant with the release's values and without a configuration. The tenants of the
  release may set only a name and a configuration, because they share the pods. dict: root, into (gets the key `tenants`)
*/}}
{{- define "talent-sync.resolve-backend" -}}
{{- $root := .root -}}
{{- $backend := $root.Values.backend -}}
{{- include "talent-sync.check-backend" $root -}}
{{- $daemons := include "talent-sync.tenant-defaults" $root | fromJson -}}
{{- $own := dict "name" "daemons" "mode" "daemon" "backend" $backend "configFile" "/etc/talent-sync" -}}
{{- $off := dict "persistence" (dict "enabled" false "size" $backend.cacheSize) "helmTest" (dict "enabled" false) -}}
{{- $daemons = mergeOverwrite $daemons $own $off -}}
{{- $_ := set $daemons "fullName" (include "talent-sync.tenant-name" (dict "root" $root "tenant" "daemons")) -}}
{{- $_ := set $daemons "settings" (dict "web" $backend.web) -}}
{{- $_ := set $daemons "configMaps" (include "talent-sync.pack-configs" $root | fromYamlArray) -}}
{{- include "talent-sync.check-published" (dict "tenant" $daemons "claims" dict) -}}
{{- include "talent-sync.check-pod" $daemons -}}
{{- $_ := set .into "tenants" (list $daemons) -}}
{{- end -}}

{{/* root */}}
{{- define "talent-sync.check-backend" -}}
{{- $seen := dict -}}
{{- range .Values.tenants -}}
{{- $place := printf "tenant %s" .name -}}
{{- if or (hasKey $seen .name) (eq .name "daemon") -}}
{{- fail (printf "%s: the name is taken. Give each tenant its own name, other than daemon." $place) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- with keys (omit . "name" "config") -}}
{{- fail (printf "%s: %s is set, but with a backend a tenant has only a name and a config. Set it for the release." $place (join ", " .)) -}}
{{- end -}}
{{- if not (kindIs "string" .config) -}}
{{- fail (printf "%s: with a backend, the configuration of a tenant must be text. Write it as config: |." $place) -}}
{{- end -}}
{{- $state := printf "/var/lib/talent-sync/%s" .name -}}
{{- if not (regexMatch (printf "(?m)^state:[ \t]*[\"']?%s[\"']?[ \t]*(#.*)?$" (regexQuoteMeta $state)) .config) -}}
{{- fail (printf "%s: with a backend, the state is a folder with the tenant's name. Write `state: %s`." $place $state) -}}
{{- end -}}
{{- end -}}
{{- with .Values.backend -}}
{{- if not (and .urlSecret.name .urlSecret.key) -}}
{{- fail "backend.enabled: no address. Name its Secret, and the key in it, with backend.urlSecret.name and .key." -}}
{{- end -}}
{{- if and .ca.secret .ca.configMap -}}
{{- fail "backend.ca: both secret and configMap are set. Keep one of the two." -}}
{{- end -}}
{{- if and .autoscaling.enabled (lt (int .autoscaling.maxReplicas) (int .replicas)) -}}
{{- fail "backend.autoscaling.maxReplicas is less than backend.replicas. Set it higher." -}}
{{- end -}}
{{- if and $.Values.web.enabled (not (has (toString .web.listen) (list "0.0.0.0:8090" "[::]:8090"))) -}}
{{- fail (printf "web.enabled: backend.web.listen is %s, so nobody can open the pages. Write `listen: \"0.0.0.0:8090\"`, or set web.enabled to false." (.web.listen | default "(none)")) -}}
{{- end -}}
{{- end -}}
{{- if not .Values.image.repository -}}
{{- fail "backend: no image. Set image.repository." -}}
{{- end -}}
{{- end -}}

{{/* Lists of tenant names. The configurations of one list fit into a ConfigMap, which is limited to 1 MiB. root */}}
{{- define "talent-sync.pack-configs" -}}
{{- $maps := list -}}
{{- $names := list -}}
{{- $bytes := 0 -}}
{{- range .Values.tenants -}}
{{- $more := add (len .name) (len .config) 64 | int -}}
{{- if gt $more 900000 -}}
{{- fail (printf "tenant %s: its configuration is too large for a ConfigMap." .name) -}}
{{- end -}}
{{- if gt (add $bytes $more | int) 900000 -}}
{{- $maps = append $maps $names -}}
{{- $names = list -}}
{{- $bytes = 0 -}}
{{- end -}}
{{- $names = append $names .name -}}
{{- $bytes = add $bytes $more | int -}}
{{- end -}}
{{- toJson (append $maps $names) -}}
{{- end -}}

{{/* daemon.yaml. root */}}
{{- define "talent-sync.daemon-file" -}}
{{- with .Values.backend -}}
backend:
  postgres:
    url: { env: DATABASE_URL }
    tls: {{ .tls | quote }}
    {{- if or .ca.secret .ca.configMap }}
    ca: /etc/postgres-ca/ca.crt
    {{- end }}
{{- with .web }}
web:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
{{- end -}}

{{/* dict: a Secret with name and key */}}
{{- define "talent-sync.database-url" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ .name | quote }}
      key: {{ .key | quote }}
{{- end -}}

{{/* Volume with the certificate of the server's authority, under a fixed file name for any key. A backend */}}
{{- define "talent-sync.ca-volume" -}}
{{- with .ca -}}
{{- if or .secret .configMap -}}
- name: postgres-ca
  {{- if .secret }}
  secret:
    secretName: {{ .secret | quote }}
  {{- else }}
  configMap:
    name: {{ .configMap | quote }}
  {{- end }}
    items:
      - key: {{ .key | quote }}
        path: ca.crt
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "talent-sync.ca-mount" -}}
{{- if or .ca.secret .ca.configMap -}}
- name: postgres-ca
  mountPath: /etc/postgres-ca
  readOnly: true
{{- end -}}
{{- end -}}
