{{/* No subPath at the configuration: what is mounted by subPath never gets an update. */}}
{{- define "talent-sync.volume-mounts" -}}
- name: config
  mountPath: /etc/talent-sync
  readOnly: true
- name: state
  mountPath: /var/lib/talent-sync
{{- if eq .mode "fleet" }}
- name: hand-over
  mountPath: /hand-over
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
  {{- if eq .mode "fleet" }}
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
{{- if eq .mode "fleet" }}
- name: hand-over
  persistentVolumeClaim:
    claimName: {{ .fleet.handOver.existingClaim | quote }}
{{- else }}
- name: state
  {{- if .persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ .existingClaim | default .fullName | quote }}
  {{- else }}
  emptyDir:
    sizeLimit: {{ .persistence.size }}
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
