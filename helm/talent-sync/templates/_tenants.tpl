{{/*
  Merges each tenant's values over the release's defaults, and rejects values that cannot work.
  dict: root, into (gets the key `tenants`, because a template can return only text)
  Each tenant gets fullName, configFile and settings. The settings are its configuration as data, null for your own ConfigMap.
*/}}
{{- define "talent-sync.resolve" -}}
{{- $root := .root -}}
{{- include "talent-sync.check-release" $root -}}
{{- if $root.Values.backend.enabled -}}
{{- include "talent-sync.resolve-backend" . -}}
{{- else -}}
{{- $seen := dict -}}
{{- $claims := dict -}}
{{- $tenants := list -}}
{{- range $given := $root.Values.tenants -}}
{{- if hasKey $seen $given.name -}}
{{- fail (printf "tenants: two are named %q. Give each its own name: it is part of the names of its objects." $given.name) -}}
{{- end -}}
{{- $_ := set $seen $given.name true -}}
{{- $tenant := include "talent-sync.tenant-defaults" $root | fromJson -}}
{{- include "talent-sync.lay-over" (dict "over" $given "into" $tenant) -}}
{{- $_ := set $tenant "fullName" (include "talent-sync.tenant-name" (dict "root" $root "tenant" $tenant.name)) -}}
{{- $_ := set $tenant "configFile" (printf "/etc/talent-sync/%s.yaml" $tenant.name) -}}
{{- $_ := set $tenant "settings" dict -}}
{{- include "talent-sync.check-tenant" (dict "tenant" $tenant "claims" $claims) -}}
{{- include "talent-sync.read-config" $tenant -}}
{{- with $tenant.cronJob -}}
{{- $_ := set . "schedule" (include "talent-sync.spread-schedule" (dict "schedule" .schedule "spread" .spread "tenant" $tenant.name)) -}}
{{- end -}}
{{- $tenants = append $tenants $tenant -}}
{{- end -}}
{{- $_ := set .into "tenants" $tenants -}}
{{- end -}}
{{- end -}}

{{/* The default values of a tenant. root */}}
{{- define "talent-sync.tenant-defaults" -}}
{{- omit .Values "global" "nameOverride" "fullnameOverride" "namespaceOverride" "commonLabels" "imagePullSecrets" "serviceAccount" "metrics" "tenants" "extraObjects" "backend" | toJson -}}
{{- end -}}

{{/* Unlike sprig's merge, a tenant's false, 0 or empty value overrides the default, and null removes it. dict: over, into (changed) */}}
{{- define "talent-sync.lay-over" -}}
{{- range $key, $value := .over -}}
{{- $under := get $.into $key -}}
{{- if and (kindIs "map" $value) (kindIs "map" $under) -}}
{{- include "talent-sync.lay-over" (dict "over" $value "into" $under) -}}
{{- else if kindIs "invalid" $value -}}
{{- $_ := unset $.into $key -}}
{{- else -}}
{{- $_ := set $.into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "talent-sync.check-release" -}}
{{- if not .Values.tenants -}}
{{- fail "tenants: the list is empty. Name at least one tenant; ci/minimal-values.yaml of the chart is an example." -}}
{{- end -}}
{{- include "talent-sync.check-labels" (dict "place" "release" "key" "commonLabels" "labels" .Values.commonLabels) -}}
{{- with .Values.metrics -}}
{{- range $key := list "serviceMonitor" "prometheusRule" "dashboard" -}}
{{- include "talent-sync.check-labels" (dict "place" "metrics" "key" (printf "%s.labels" $key) "labels" (get $.Values.metrics $key).labels) -}}
{{- end -}}
{{- if and .enabled (not (and .tokenSecret.name .tokenSecret.key)) -}}
{{- fail "metrics.enabled: no token. Name the Secret that holds it, and the key in it, with metrics.tokenSecret.name and .key." -}}
{{- end -}}
{{- if and .serviceMonitor.enabled (not .enabled) -}}
{{- fail "metrics.serviceMonitor.enabled: there are no metrics to scrape. Set metrics.enabled and metrics.tokenSecret too." -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* dict: tenant, claims (existing claim, or pages of a host → tenant) */}}
{{- define "talent-sync.check-tenant" -}}
{{- $claims := .claims -}}
{{- with .tenant -}}
{{- $place := printf "tenant %s" .name -}}
{{- if not .image.repository -}}
{{- fail (printf "%s: no image. Set image.repository, and image.tag or image.digest unless it is the chart's appVersion." $place) -}}
{{- end -}}
{{- if and .config .existingConfigMap -}}
{{- fail (printf "%s: both config and existingConfigMap are set. Keep one of the two." $place) -}}
{{- end -}}
{{- if not (or .config .existingConfigMap) -}}
{{- fail (printf "%s: no configuration. Give it as config, or name the ConfigMap that has it with existingConfigMap." $place) -}}
{{- end -}}
{{- if and (eq .mode "cronjob") (not .cronJob.schedule) -}}
{{- fail (printf "%s: mode is cronjob, but cronJob.schedule is empty. Give it five fields, such as \"0 * * * *\"." $place) -}}
{{- end -}}
{{- include "talent-sync.check-published" (dict "tenant" . "claims" $claims) -}}
{{- if .existingClaim -}}
{{- if not .persistence.enabled -}}
{{- fail (printf "%s: existingClaim is %s, but persistence.enabled is false. Keep one of the two." $place .existingClaim) -}}
{{- end -}}
{{- if hasKey $claims .existingClaim -}}
{{- fail (printf "%s: existingClaim %s is that of tenant %s. Each tenant needs its own state volume." $place .existingClaim (get $claims .existingClaim)) -}}
{{- end -}}
{{- $_ := set $claims .existingClaim .name -}}
{{- end -}}
{{- include "talent-sync.check-pod" . -}}
{{- end -}}
{{- end -}}

{{/* dict: tenant, claims (pages of a host → tenant) */}}
{{- define "talent-sync.check-published" -}}
{{- $claims := .claims -}}
{{- with .tenant -}}
{{- $place := printf "tenant %s" .name -}}
{{- if .scimIngress.enabled -}}
{{- if ne .mode "daemon" -}}
{{- fail (printf "%s: scimIngress.enabled, but mode is %s: only a daemon accepts pushes. Set mode to daemon." $place .mode) -}}
{{- end -}}
{{- if not .scimIngress.host -}}
{{- fail (printf "%s: scimIngress.enabled, but no host. Set scimIngress.host to the host name for identity providers." $place) -}}
{{- end -}}
{{- end -}}
{{- if .web.enabled -}}
{{- if ne .mode "daemon" -}}
{{- fail (printf "%s: web.enabled, but mode is %s: only a daemon has pages. Set mode to daemon." $place .mode) -}}
{{- end -}}
{{- $name := .name -}}
{{- $web := .web -}}
{{- range $way := list "ingress" "route" -}}
{{- $published := get $web $way -}}
{{- if $published.enabled -}}
{{- if not $published.host -}}
{{- fail (printf "%s: web.%s.enabled, but no host. Set web.%s.host to the host name of the pages." $place $way $way) -}}
{{- end -}}
{{- $who := printf "pages of %s" $published.host -}}
{{- if and (hasKey $claims $who) (ne (get $claims $who) $name) -}}
{{- fail (printf "%s: web.%s.host %s is that of tenant %s. Each tenant's pages need their own host." $place $way $published.host (get $claims $who)) -}}
{{- end -}}
{{- $_ := set $claims $who $name -}}
{{- end -}}
{{- end -}}
{{- if and .web.route.enabled (not .web.route.parentRefs) -}}
{{- fail (printf "%s: web.route.enabled, but no Gateway. Name it in web.route.parentRefs." $place) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* a tenant */}}
{{- define "talent-sync.check-pod" -}}
{{- $place := printf "tenant %s" .name -}}
{{- $own := list "LOG_LEVEL" "SQLITE_TMPDIR" "TALENT_SYNC_METRICS_TOKEN" -}}
{{- if .backend -}}
{{- $own = append $own "DATABASE_URL" -}}
{{- end -}}
{{- range .extraEnv -}}
{{- if has .name $own -}}
{{- fail (printf "%s: extraEnv has %s, which the chart sets itself. Use logLevel, tmp, metrics.tokenSecret or backend.urlSecret." $place .name) -}}
{{- end -}}
{{- end -}}
{{- include "talent-sync.check-labels" (dict "place" $place "key" "podLabels" "labels" .podLabels) -}}
{{- range .extraVolumes -}}
{{- if regexMatch "^(config|state|tmp|postgres-ca|(drop|secret)-[0-9]+)$" .name -}}
{{- fail (printf "%s: extraVolumes has %s, which is a volume of the chart. Use another name." $place .name) -}}
{{- end -}}
{{- end -}}
{{- $paths := dict "/etc/talent-sync" "config" "/var/lib/talent-sync" "state" "/tmp" "tmp" "/etc/postgres-ca" "postgres-ca" -}}
{{- range concat (.drops | default list) (.existingSecrets | default list) .extraVolumeMounts -}}
{{- if .mountPath -}}
{{- $what := .existingClaim | default .name -}}
{{- if hasKey $paths .mountPath -}}
{{- fail (printf "%s: %s and %s are both mounted at %s. Give each its own folder." $place (get $paths .mountPath) $what .mountPath) -}}
{{- end -}}
{{- $_ := set $paths .mountPath $what -}}
{{- end -}}
{{- end -}}
{{- end -}}
