{{/* Names and labels that the templates share. */}}

{{- define "assay.name" -}}
{{- $name := contains .Chart.Name .Release.Name | ternary .Release.Name (printf "%s-%s" .Release.Name .Chart.Name) }}
{{- $name | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "assay.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "assay.labels" -}}
{{ include "assay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "assay.metadata" -}}
name: {{ include "assay.name" . }}
namespace: {{ .Release.Namespace }}
labels:
  {{- include "assay.labels" . | nindent 2 }}
{{- end }}

{{- define "assay.secret" -}}
{{ .Values.secrets.existing | default (include "assay.name" .) }}
{{- end }}

{{- define "assay.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}
