{{/* The configuration is mounted without subPath, because a file mounted by subPath never gets an update. */}}
{{- define "talent-sync.volume-mounts" -}}
- name: config
  mountPath: /etc/talent-sync
  readOnly: true
- name: state
  mountPath: /var/lib/talent-sync
{{- if .backend }}
{{- with include "talent-sync.ca-mount" .backend }}
{{ . }}
{{- end }}
{{- end }}
- name: tmp
  mountPath: /tmp
{{- range $index, $drop := .drops }}
- name: drop-{{ $index }}
  mountPath: {{ .mountPath }}
  readOnly: {{ ternary .readOnly true (hasKey . "readOnly") }}
  {{- with .subPath }}
  subPath: {{ . | quote }}
  {{- end }}
{{- end }}
{{- range $index, $secret := .existingSecrets }}
{{- if .mountPath }}
- name: secret-{{ $index }}
  mountPath: {{ .mountPath }}
  readOnly: true
{{- end }}
{{- end }}
{{- with .extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "talent-sync.volumes" -}}
- name: config
  {{- if .backend }}
  projected:
    sources:
      - configMap:
          name: {{ .fullName }}
      {{- range $number, $_ := .configMaps }}
      - configMap:
          name: {{ $.fullName }}-{{ $number }}
      {{- end }}
  {{- else }}
  configMap:
    {{- with .existingConfigMap }}
    name: {{ .name | quote }}
    items:
      - key: {{ .key | default "talent-sync.yaml" | quote }}
        path: {{ base $.configFile }}
    {{- else }}
    name: {{ .fullName }}
    {{- end }}
  {{- end }}
- name: state
  {{- if .persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ .existingClaim | default .fullName | quote }}
  {{- else }}
  emptyDir:
    sizeLimit: {{ .persistence.size }}
  {{- end }}
{{- if .backend }}
{{- with include "talent-sync.ca-volume" .backend }}
{{ . }}
{{- end }}
{{- end }}
- name: tmp
  emptyDir:
    sizeLimit: {{ .tmp.sizeLimit }}
{{- range $index, $drop := .drops }}
- name: drop-{{ $index }}
  persistentVolumeClaim:
    claimName: {{ .existingClaim | quote }}
    readOnly: {{ ternary .readOnly true (hasKey . "readOnly") }}
{{- end }}
{{- range $index, $secret := .existingSecrets }}
{{- if .mountPath }}
- name: secret-{{ $index }}
  secret:
    secretName: {{ .name | quote }}
    defaultMode: 288 # 0440: the group is the pod's fsGroup
{{- end }}
{{- end }}
{{- with .extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
