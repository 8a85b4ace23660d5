{{- define "scanner.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{ .Release.Name | trunc 40 | trimSuffix "-" }}
{{- else -}}
{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}
{{- end -}}
{{- end }}

{{- define "scanner.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "scanner.labels" -}}
{{ include "scanner.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "scanner.serviceAccount" -}}
{{ .Values.serviceAccount.name | default (include "scanner.name" .) }}
{{- end }}

{{- define "scanner.image" -}}
{{- $repository := required "set image.repository: no image is published, build one with examples/deploy/Dockerfile" .Values.image.repository -}}
{{ printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}

{{/* What server and scan have in common: the account, how the pod runs, and where. */}}
{{- define "scanner.pod" -}}
serviceAccountName: {{ include "scanner.serviceAccount" . }}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "scanner.container" -}}
name: scanner
image: {{ include "scanner.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- with .Values.environment.secrets }}
envFrom:
  {{- range . }}
  - secretRef: {name: {{ . | quote }}}
  {{- end }}
{{- end }}
{{- end }}

{{/* Items of `env`. */}}
{{- define "scanner.env" -}}
- name: SCANNER_DICTIONARY
{{- if .Values.dictionary.postgresql.secret }}
  valueFrom:
    secretKeyRef: {name: {{ .Values.dictionary.postgresql.secret | quote }}, key: {{ .Values.dictionary.postgresql.key | quote }}}
{{- else }}
  value: /data/dictionary.db
{{- end }}
{{- range $name, $value := .Values.environment.variables }}
- {name: {{ $name | quote }}, value: {{ $value | quote }}}
{{- end }}
{{- end }}

{{/* Items of `volumeMounts` and of `volumes`, but that of the dictionary. */}}
{{- define "scanner.mounts" -}}
- {name: tmp, mountPath: /tmp}
{{- if .Values.cluster }}
- {name: config, mountPath: /config, readOnly: true}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "scanner.volumes" -}}
- {name: tmp, emptyDir: {}}
{{- if .Values.cluster }}
- {name: config, configMap: {name: {{ include "scanner.name" . }}}}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}
