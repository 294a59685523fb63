{{/*
  At most 52 characters: a CronJob adds 11 to the names of its Jobs, and all objects of a tenant share one name, so that
  the volume stays when the tenant changes its mode. What is longer ends in a hash of the whole.
  dict: full, the name wished for; identity, what tells two of them apart
*/}}
{{- define "talent-sync.shorten" -}}
{{- if le (len .full) 52 -}}
{{- .full -}}
{{- else -}}
{{- printf "%s-%s" (regexReplaceAll "-+$" (trunc 41 .full) "") (sha256sum .identity | trunc 10) -}}
{{- end -}}
{{- end -}}

{{/* The release; a Service's name has no dots and begins with a letter. */}}
{{- define "talent-sync.base-name" -}}
{{- $release := .Release.Name | replace "." "-" -}}
{{- if not (contains .Chart.Name $release) -}}
{{- $release = ternary (printf "%s-%s" $release .Chart.Name) (printf "%s-%s" .Chart.Name $release) (regexMatch "^[a-z]" $release) -}}
{{- else if not (regexMatch "^[a-z]" $release) -}}
{{- $release = printf "r-%s" $release -}}
{{- end -}}
{{- $release -}}
{{- end -}}

{{/* Name of what the release has once. */}}
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

{{/* What a Deployment may never change: nothing here may depend on a value or a version. dict: root, tenant */}}
{{- define "talent-sync.selector" -}}
{{ include "talent-sync.release-selector" .root }}
talent-sync/tenant: {{ .tenant.name | quote }}
{{- end -}}

{{- define "talent-sync.release-selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{/* dict: root, tenant */}}
{{- define "talent-sync.labels" -}}
{{ include "talent-sync.selector" . }}
app.kubernetes.io/component: {{ .tenant.mode }}
{{ include "talent-sync.release-labels" .root }}
{{- end -}}

{{- define "talent-sync.release-labels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{- end -}}

{{/* Labels of pods: without versions, so that a new chart alone restarts nothing. dict: root, tenant */}}
{{- define "talent-sync.pod-labels" -}}
{{ include "talent-sync.selector" . }}
app.kubernetes.io/component: {{ .tenant.mode }}
{{- with .tenant.podLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}
