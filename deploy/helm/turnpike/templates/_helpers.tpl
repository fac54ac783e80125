{{- define "turnpike.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "turnpike.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "turnpike.labels" -}}
{{ include "turnpike.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "turnpike.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "turnpike.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "turnpike.name" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- define "turnpike.secret" -}}
{{- if .Values.secret.existing }}{{ .Values.secret.existing }}
{{- else if .Values.secret.create }}{{ include "turnpike.name" . }}
{{- else }}{{ fail "secret.existing must name a secret with SECRET_KEY (and DATABASE_URL); or set secret.create" }}
{{- end }}
{{- end }}

{{- /* Secrets by name. An optional key that the secret lacks leaves its variable unset. */ -}}
{{- define "turnpike.secretEnv" -}}
{{- $secret := include "turnpike.secret" . -}}
- name: SECRET_KEY
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: SECRET_KEY } }
{{- if eq .Values.database "external" }}
- name: DATABASE_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: DATABASE_URL } }
{{- end }}
- name: REDIS_URL
  valueFrom: { secretKeyRef: { name: {{ $secret }}, key: REDIS_URL, optional: true } }
{{- end }}

{{- define "turnpike.podSecurity" -}}
runAsNonRoot: true
{{- if not (kindIs "invalid" .Values.runAsUser) }}
runAsUser: {{ .Values.runAsUser }}
{{- end }}
runAsGroup: 0
fsGroup: 0
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "turnpike.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
