{{/* The pod of both modes. dict: root, tenant */}}
{{- define "talent-sync.pod-spec" -}}
{{- $root := .root -}}
{{- with .tenant -}}
serviceAccountName: {{ include "talent-sync.service-account-name" $root | quote }}
automountServiceAccountToken: false
{{- /* Variables made from Services could take the names that the worker reads. */}}
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
restartPolicy: {{ ternary "Always" "Never" (eq .mode "daemon") }}
terminationGracePeriodSeconds: {{ add (int .graceSeconds) 10 }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: talent-sync
    image: {{ include "talent-sync.image" (dict "root" $root "image" .image) | quote }}
    imagePullPolicy: {{ .image.pullPolicy }}
    args:
      {{- include (printf "talent-sync.%s-args" .mode) . | nindent 6 }}
    env:
      {{- include "talent-sync.env" (dict "root" $root "tenant" .) | nindent 6 }}
    {{- with include "talent-sync.env-from" . }}
    {{- . | nindent 4 }}
    {{- end }}
    {{- if eq .mode "daemon" }}
    ports:
      - name: http
        containerPort: 8080
        protocol: TCP
    startupProbe:
      {{- include "talent-sync.probe" (dict "path" "/livez" "pace" .probes.startup) | nindent 6 }}
    livenessProbe:
      {{- include "talent-sync.probe" (dict "path" "/livez" "pace" .probes.liveness) | nindent 6 }}
    readinessProbe:
      {{- include "talent-sync.probe" (dict "path" "/readyz" "pace" .probes.readiness) | nindent 6 }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities:
        drop: [ALL]
    volumeMounts:
      {{- include "talent-sync.volume-mounts" . | nindent 6 }}
volumes:
  {{- include "talent-sync.volumes" . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "talent-sync.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "talent-sync.daemon-args" -}}
- daemon
- --config
- {{ .configFile }}
- --host
- {{ .daemon.host | quote }}
- --port
- "8080"
- --grace
- {{ int .graceSeconds }}s
{{- end -}}

{{/* Kubernetes has no way to call an exit code other than 0 a success: the program is asked to. */}}
{{- define "talent-sync.cronjob-args" -}}
- sync
- --config
- {{ .configFile }}
- --json
- --wait
{{- with .cronJob.completeOn }}
- --complete-on
- {{ join "," . | quote }}
{{- end }}
{{- end -}}

{{- define "talent-sync.env" -}}
- name: LOG_LEVEL
  value: {{ .tenant.logLevel }}
- name: SQLITE_TMPDIR
  value: /tmp
{{- with .root.Values.metrics }}
{{- if and .enabled (eq $.tenant.mode "daemon") }}
- name: TALENT_SYNC_METRICS_TOKEN
  valueFrom:
    secretKeyRef:
      {{- toYaml .tokenSecret | nindent 6 }}
{{- end }}
{{- end }}
{{- with .tenant.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "talent-sync.env-from" -}}
{{- $refs := list -}}
{{- range .existingSecrets -}}
{{- if not .mountPath -}}
{{- $refs = append $refs (dict "secretRef" (dict "name" .name)) -}}
{{- end -}}
{{- end -}}
{{- if $refs -}}
envFrom:
  {{- toYaml $refs | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "talent-sync.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
{{ toYaml .pace }}
{{- end -}}
