{{/*
  The fleet as one workload: the release's values, as a tenant without a configuration. Its tenants have a name and a configuration,
  nothing else: what a pod has, it has for all of them. dict: root, into (gets the key `tenants`)
*/}}
{{- define "talent-sync.resolve-fleet" -}}
{{- $root := .root -}}
{{- $fleet := deepCopy (omit $root.Values "global" "nameOverride" "fullnameOverride" "namespaceOverride" "commonLabels" "imagePullSecrets" "serviceAccount" "metrics" "tenants" "extraObjects" "fleet") -}}
{{- $seen := dict -}}
{{- range $root.Values.tenants -}}
{{- $place := printf "tenant %s" .name -}}
{{- if or (hasKey $seen .name) (eq .name "daemon") -}}
{{- fail (printf "%s: the name is taken. Give each tenant a name of its own; daemon is none." $place) -}}
{{- end -}}
{{- $_ := set $seen .name true -}}
{{- with keys (omit . "name" "config") -}}
{{- fail (printf "%s: %s is set, but a tenant of a fleet has name and config alone. Set it for the whole release." $place (join ", " .)) -}}
{{- end -}}
{{- if not (kindIs "string" .config) -}}
{{- fail (printf "%s: a tenant of a fleet has its configuration as text. Give it as config: |." $place) -}}
{{- end -}}
{{- $state := printf "/var/lib/talent-sync/%s" .name -}}
{{- if not (regexMatch (printf "(?m)^state:[ \t]*[\"']?%s[\"']?[ \t]*(#.*)?$" (regexQuoteMeta $state)) .config) -}}
{{- fail (printf "%s: in a fleet its state is a folder of its name. Write `state: %s`." $place $state) -}}
{{- end -}}
{{- end -}}
{{- if not $root.Values.fleet.handOver.existingClaim -}}
{{- fail "fleet: no place to hand states over. Name a claim that several nodes mount (ReadWriteMany) with fleet.handOver.existingClaim." -}}
{{- end -}}
{{- if not $fleet.persistence.enabled -}}
{{- fail "fleet: persistence.enabled is false, but states move between volumes. Leave it on." -}}
{{- end -}}
{{- if not $fleet.image.repository -}}
{{- fail "fleet: no image. Set image.repository to where you have put it." -}}
{{- end -}}
{{- $_ := set $fleet "name" "fleet" -}}
{{- $_ := set $fleet "mode" "fleet" -}}
{{- $_ := set $fleet "fleet" $root.Values.fleet -}}
{{- $_ := set $fleet "fullName" (include "talent-sync.tenant-name" (dict "root" $root "tenant" "fleet")) -}}
{{- $_ := set $fleet "configFile" "/etc/talent-sync" -}}
{{- $_ := set $fleet "settings" dict -}}
{{- range $off := list "helmTest" "scimIngress" "web" -}}
{{- with get $fleet $off -}}
{{- $_ := set . "enabled" false -}}
{{- end -}}
{{- end -}}
{{- $_ := set $fleet "configMaps" (include "talent-sync.fleet-config-maps" $root | fromYamlArray) -}}
{{- include "talent-sync.check-volumes" $fleet -}}
{{- $_ := set .into "tenants" (list $fleet) -}}
{{- end -}}

{{/* Names of tenants, as many to a ConfigMap as its limit of 1 MiB lets in: a list of lists. root */}}
{{- define "talent-sync.fleet-config-maps" -}}
{{- $maps := list -}}
{{- $names := list -}}
{{- $bytes := 0 -}}
{{- range .Values.tenants -}}
{{- $more := add (len .name) (len .config) 64 | int -}}
{{- if gt $more 900000 -}}
{{- fail (printf "tenant %s: its configuration is larger than a ConfigMap can be." .name) -}}
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

{{- define "talent-sync.fleet-args" -}}
- daemon
- --config
- {{ .configFile }}
- --ordinal
- $(POD_NAME)
- --parallel
- {{ int .fleet.parallel | quote }}
- --host
- {{ .daemon.host | quote }}
- --port
- "8080"
- --grace
- {{ int .graceSeconds }}s
{{- end -}}
