{{- define "runfleet.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "runfleet.labels" -}}
app.kubernetes.io/name: runfleet
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "runfleet.selector" -}}
app.kubernetes.io/name: runfleet
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "runfleet.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "runfleet.secret" -}}
{{- if .Values.secrets.external.enabled -}}
{{ include "runfleet.name" . }}
{{- else -}}
{{ required "secrets.existing must name a Secret with DATABASE_URL, REDIS_URL and ENCRYPTION_KEYS, or secrets.external.enabled must be true" .Values.secrets.existing }}
{{- end -}}
{{- end -}}

{{/* Variables that name the files of secrets. Takes a list of keys. */}}
{{- define "runfleet.secretEnv" -}}
{{- range . }}
- { name: {{ . }}_FILE, value: /run/secrets/runfleet/{{ . }} }
{{- end }}
{{- end -}}

{{/* The volume of these files. Takes (dict "root" $ "keys" list). */}}
{{- define "runfleet.secretVolume" -}}
- name: secrets
  secret:
    secretName: {{ include "runfleet.secret" .root }}
    defaultMode: 0440
    items:
      {{- range .keys }}
      - { key: {{ . }}, path: {{ . }} }
      {{- end }}
{{- end -}}

{{/* Variables from values. A later map wins over an earlier one. Takes a list of maps. */}}
{{- define "runfleet.env" -}}
{{- $all := dict -}}
{{- range . -}}{{- $all = mergeOverwrite $all (deepCopy .) -}}{{- end -}}
{{- range $name, $value := $all }}
- { name: {{ $name }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end -}}

{{/* What packages may take of a volume of this size, as in 10Gi: what is being installed needs 3 GiB beside them, half of a small volume. */}}
{{- define "runfleet.packagesBytes" -}}
{{- $units := dict "M" 1000000 "G" 1000000000 "T" 1000000000000 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- $unit := regexFind "[A-Za-z]+$" . -}}
{{- $bytes := mul (trimSuffix $unit . | int64) (get $units $unit | int64) -}}
{{- max (sub $bytes 3221225472) (div $bytes 2) -}}
{{- end -}}

{{/* Confinement of everything but workers: the restricted Pod Security Standard. */}}
{{- define "runfleet.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "runfleet.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{- define "runfleet.spread" -}}
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: {{ .labels | toJson }} }
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: {{ .labels | toJson }} }
{{- end -}}

{{/* Private, shared, link-local (metadata of clouds), multicast and reserved ranges. */}}
{{- define "runfleet.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: [0.0.0.0/8, 10.0.0.0/8, 100.64.0.0/10, 127.0.0.0/8, 169.254.0.0/16, 172.16.0.0/12, 192.0.0.0/24, 192.168.0.0/16, 198.18.0.0/15, 224.0.0.0/4, 240.0.0.0/4]
- ipBlock:
    cidr: ::/0
    except: ["::/127", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "fc00::/7", "fe80::/10", "ff00::/8"]
{{- end -}}

{{/* Fails for what the schema can't see. */}}
{{- define "runfleet.validate" -}}
{{- $root := . -}}
{{- $envs := dict "env" (.Values.env | default dict) "api.env" (.Values.api.env | default dict) -}}
{{- range $name, $own := .Values.workers.pools -}}
{{- $pool := mergeOverwrite (deepCopy $root.Values.workers.defaults) (deepCopy ($own | default dict)) -}}
{{- $at := printf "workers.pools.%s" $name -}}
{{- if and (eq $pool.sandbox.profile "runtimeclass") (not $pool.sandbox.runtimeClassName) -}}
{{- fail (printf "%s.sandbox.runtimeClassName must name a RuntimeClass, as the profile is runtimeclass" $at) -}}
{{- end -}}
{{- if and (ne $pool.sandbox.profile "runtimeclass") $pool.sandbox.runtimeClassName -}}
{{- fail (printf "%s.sandbox.runtimeClassName is only for the profile runtimeclass" $at) -}}
{{- end -}}
{{- $envs = merge $envs (dict (printf "%s.env" $at) ($pool.env | default dict)) -}}
{{- if and (eq $pool.sandbox.profile "userns") (semverCompare "<1.30.0-0" $root.Capabilities.KubeVersion.Version) -}}
{{- fail (printf "%s.sandbox.profile userns needs Kubernetes 1.30 or later; landlock needs less and isolates less" $at) -}}
{{- end -}}
{{- if and $pool.autoscaling.enabled (lt (int $pool.autoscaling.maxReplicas) (int $pool.autoscaling.minReplicas)) -}}
{{- fail (printf "%s.autoscaling.maxReplicas is less than minReplicas" $at) -}}
{{- end -}}
{{- if and $pool.autoscaling.enabled (eq (int $pool.autoscaling.minReplicas) 0) (not $root.Values.expectedAdapters) -}}
{{- fail (printf "%s.autoscaling.minReplicas is 0: expectedAdapters must name what the pool is started for, or the API refuses runs while no worker lives" $at) -}}
{{- end -}}
{{- end -}}
{{- /* What the templates set. A second entry would win, against what they compute of the first one, or be refused by the cluster. */ -}}
{{- $set := dict "HOST" "the chart" "PORT" "the chart" "METRICS_ADDRESS" "the chart" "SHUTDOWN_NOTICE_MS" "the chart" -}}
{{- $set = merge $set (dict "SHUTDOWN_GRACE_MS" "the chart, for workers by drainSeconds" "EXPECTED_ADAPTERS" "expectedAdapters") -}}
{{- $set = merge $set (dict "WORKER_POOL" "the pool's name or its pool" "WORKER_SLOTS" "slots" "SANDBOX_MIN_LEVEL" "the sandbox profile") -}}
{{- range $at, $env := $envs -}}
{{- range $name, $by := $set -}}
{{- if hasKey $env $name -}}
{{- fail (printf "%s: %s is set by %s, not by env" $at $name $by) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $part := list "postgres" "redis" -}}
{{- if and $root.Values.networkPolicy.enabled (not (index $root.Values.networkPolicy $part).to) -}}
{{- fail (printf "networkPolicy.%s.to must say where it is, as peers of a NetworkPolicy; or set networkPolicy.enabled to false" $part) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.secrets.external.enabled (not .Values.secrets.external.store.name) -}}
{{- fail "secrets.external.store.name must name the store of the External Secrets Operator" -}}
{{- end -}}
{{- if and .Values.api.ingress.enabled (not .Values.api.ingress.host) -}}
{{- fail "api.ingress.host must be set" -}}
{{- end -}}
{{- if and .Values.monitoring.enabled (not (has "INTERNAL_TOKEN" .Values.secrets.api)) -}}
{{- fail "monitoring.enabled needs INTERNAL_TOKEN in secrets.api: Prometheus reads the API's metrics with it" -}}
{{- end -}}
{{- end -}}
