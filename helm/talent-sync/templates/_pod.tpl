{{/* The pod of both modes. dict: root, tenant */}}
{{- define "talent-sync.pod-spec" -}}
{{- $root := .root -}}
{{- with .tenant -}}
serviceAccountName: {{ include "talent-sync.service-account-name" $root | quote }}
automountServiceAccountToken: false
{{- /* Variables of Services could have names that the worker reads. */}}
enableServiceLinks: false
{{- with $root.Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
restartPolicy: {{ ternary "Always" "Never" (eq .mode "daemon") }}
terminationGracePeriodSeconds: {{ add (int .graceSeconds) 10 }}
{{- with .priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- range $to, $from := dict "securityContext" .podSecurityContext "nodeSelector" .nodeSelector "tolerations" .tolerations "affinity" .affinity "dnsConfig" .dnsConfig "topologySpreadConstraints" (include "talent-sync.spread" $ | fromYamlArray) "initContainers" .extraInitContainers }}
{{- with $from }}
{{ $to }}:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
containers:
  - name: talent-sync
    image: {{ include "talent-sync.image" (dict "root" $root "image" .image) | quote }}
    imagePullPolicy: {{ .image.pullPolicy }}
    args:
      {{- include (printf "talent-sync.%s-args" .mode) . | nindent 6 }}
      {{- with .extraArgs }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
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
      {{- if .web.enabled }}
      - name: pages
        containerPort: 8090
        protocol: TCP
      {{- end }}
    startupProbe:
      {{- include "talent-sync.probe" (dict "path" "/livez" "pace" .probes.startup) | nindent 6 }}
    livenessProbe:
      {{- include "talent-sync.probe" (dict "path" "/livez" "pace" .probes.liveness) | nindent 6 }}
    readinessProbe:
      {{- include "talent-sync.probe" (dict "path" "/readyz" "pace" .probes.readiness) | nindent 6 }}
    {{- end }}
    resources:
      {{- toYaml .resources | nindent 6 }}
    {{- with .securityContext }}
    securityContext:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    volumeMounts:
      {{- include "talent-sync.volume-mounts" . | nindent 6 }}
  {{- with .extraContainers }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
volumes:
  {{- include "talent-sync.volumes" . | nindent 2 }}
{{- end -}}
{{- end -}}

{{/*
  A constraint without a selector spreads the pods of the complete release. Daemons that share a backend are spread over zones and
  nodes by default. dict: root, tenant
*/}}
{{- define "talent-sync.spread" -}}
{{- $selector := dict "matchLabels" (include "talent-sync.release-selector" .root | fromYaml) -}}
{{- $given := .tenant.topologySpreadConstraints -}}
{{- if and .tenant.backend (not $given) -}}
{{- range list "topology.kubernetes.io/zone" "kubernetes.io/hostname" -}}
{{- $given = append $given (dict "maxSkew" 1 "topologyKey" . "whenUnsatisfiable" "ScheduleAnyway") -}}
{{- end -}}
{{- end -}}
{{- $constraints := list -}}
{{- range $given -}}
{{- $constraints = append $constraints (merge dict . (dict "labelSelector" $selector)) -}}
{{- end -}}
{{- toYaml $constraints -}}
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
{{- with .backend }}
- --parallel
- {{ int .parallel | quote }}
{{- end }}
{{- end -}}

{{/* Kubernetes cannot treat an exit code other than 0 as a success, so the program gets `--complete-on`. */}}
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

{{- define "talent-sync.test-args" -}}
- check
- --quick
- --config
- {{ .configFile }}
{{- end -}}

{{- define "talent-sync.env" -}}
- name: LOG_LEVEL
  value: {{ .tenant.logLevel }}
- name: SQLITE_TMPDIR
  value: /tmp
{{- with .tenant.backend }}
{{ include "talent-sync.database-url" .urlSecret }}
{{- end }}
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
{{- with concat $refs .extraEnvFrom -}}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "talent-sync.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
{{ toYaml .pace }}
{{- end -}}
