{{/*
  Shortens a name to at most 52 characters, because a CronJob adds 11 to the names of its Jobs. All objects of a tenant share one
  name, so the volume stays when the tenant changes its mode. A shortened name ends in a hash of the identity.
  dict: full, the requested name; identity, a text that is unique to the object
*/}}
{{- define "talent-sync.shorten" -}}
{{- if le (len .full) 52 -}}
{{- .full -}}
{{- else -}}
{{- printf "%s-%s" (regexReplaceAll "-+$" (trunc 41 .full) "") (sha256sum .identity | trunc 10) -}}
{{- end -}}
{{- end -}}

{{/* Base name from the release. A Service's name has no dots and begins with a letter. */}}
{{- define "talent-sync.base-name" -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if .Values.fullnameOverride -}}
{{- $release = .Values.fullnameOverride -}}
{{- else if not (contains $name $release) -}}
{{- $release = ternary (printf "%s-%s" $release $name) (printf "%s-%s" $name $release) (regexMatch "^[a-z]" $release) -}}
{{- else if not (regexMatch "^[a-z]" $release) -}}
{{- $release = printf "r-%s" $release -}}
{{- end -}}
{{- $release -}}
{{- end -}}

{{- define "talent-sync.namespace" -}}
{{- .Values.namespaceOverride | default .Release.Namespace -}}
{{- end -}}

{{/* Name of objects that the release has once. */}}
{{- define "talent-sync.release-name" -}}
{{- include "talent-sync.shorten" (dict "full" (include "talent-sync.base-name" .) "identity" .Release.Name) -}}
{{- end -}}

{{/* Name of all objects of a tenant. dict: root, tenant (its name) */}}
{{- define "talent-sync.tenant-name" -}}
{{- $full := printf "%s-%s" (include "talent-sync.base-name" .root) .tenant -}}
{{- include "talent-sync.shorten" (dict "full" $full "identity" (printf "%s/%s" .root.Release.Name .tenant)) -}}
{{- end -}}

{{- define "talent-sync.service-account-name" -}}
{{- .Values.serviceAccount.name | default (ternary (include "talent-sync.release-name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{/* The selector of a Deployment never changes, so it must not depend on a value or a version. dict: root, tenant */}}
{{- define "talent-sync.selector" -}}
{{ include "talent-sync.release-selector" .root }}
talent-sync/tenant: {{ .tenant.name | quote }}
{{- end -}}

{{- define "talent-sync.release-selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* Labels of one tenant's objects. dict: root, tenant; own: labels of this object alone */}}
{{- define "talent-sync.labels" -}}
{{ include "talent-sync.release-labels" . }}
talent-sync/tenant: {{ .tenant.name | quote }}
app.kubernetes.io/component: {{ .tenant.mode }}
{{- end -}}

{{/* Labels of objects that the release has once. dict: root; own */}}
{{- define "talent-sync.release-labels" -}}
{{ include "talent-sync.release-selector" .root }}
{{- with .root }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end }}
{{- with merge dict (.own | default dict) .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Labels of pods. They contain no versions, so a new chart version alone restarts nothing. dict: root, tenant */}}
{{- define "talent-sync.pod-labels" -}}
{{ include "talent-sync.selector" . }}
app.kubernetes.io/component: {{ .tenant.mode }}
{{- with merge dict .tenant.podLabels .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Label keys that no value may set. They identify the objects, or the tool that created them. */}}
{{- define "talent-sync.own-labels" -}}
- app.kubernetes.io/name
- app.kubernetes.io/instance
- app.kubernetes.io/component
- app.kubernetes.io/version
- app.kubernetes.io/managed-by
- helm.sh/chart
- talent-sync/tenant
{{- end -}}

{{/* dict: place, key, labels */}}
{{- define "talent-sync.check-labels" -}}
{{- $own := include "talent-sync.own-labels" . | fromYamlArray -}}
{{- range $label, $_ := .labels -}}
{{- if has $label $own -}}
{{- fail (printf "%s: %s has %s, by which the chart finds its objects. Use another label." $.place $.key $label) -}}
{{- end -}}
{{- end -}}
{{- end -}}
