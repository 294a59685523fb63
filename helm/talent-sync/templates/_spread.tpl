{{/*
  The schedule of a CronJob, with its minutes shifted by a number that is derived from the tenant's name. The number is less than
  the spread, and never moves a start past the hour. Minutes that are neither numbers nor a step stay unchanged.
  dict: schedule; spread, such as 5m; tenant, the tenant's name
*/}}
{{- define "talent-sync.spread-schedule" -}}
{{- $midnight := "0 0 * * *" -}}
{{- $named := dict "@hourly" "0 * * * *" "@daily" $midnight "@midnight" $midnight "@weekly" "0 0 * * 0" "@monthly" "0 0 1 * *" "@yearly" "0 0 1 1 *" "@annually" "0 0 1 1 *" -}}
{{- $fields := get $named .schedule | default .schedule | splitList " " -}}
{{- $minutes := include "talent-sync.list-minutes" (first $fields) | fromYamlArray -}}
{{- $room := int (include "talent-sync.spread-room" (dict "minutes" $minutes "spread" (toString .spread))) -}}
{{- $later := 0 -}}
{{- if gt $room 1 -}}
{{- $later = mod (adler32sum (sha256sum .tenant) | int64) $room | int -}}
{{- end -}}
{{- if $later -}}
{{- $moved := list -}}
{{- range $minutes -}}
{{- $moved = append $moved (add . $later) -}}
{{- end -}}
{{- prepend (rest $fields) (join "," $moved) | join " " -}}
{{- else -}}
{{- .schedule -}}
{{- end -}}
{{- end -}}

{{/* The list of minutes in a field of numbers or a step; empty for any other field. A field */}}
{{- define "talent-sync.list-minutes" -}}
{{- if regexMatch "^[0-9]+(,[0-9]+)*$" . -}}
[{{ . }}]
{{- else if regexMatch "^[*]/[1-9][0-9]*$" . -}}
{{- $step := trimPrefix "*/" . | int -}}
{{- toJson (untilStep 0 60 $step) -}}
{{- else -}}
[]
{{- end -}}
{{- end -}}

{{/* Number of minutes to spread starts over: the least of the spread, the shortest pause and the rest of the hour. dict: minutes, spread */}}
{{- define "talent-sync.spread-room" -}}
{{- $pause := 60 -}}
{{- $before := -60 -}}
{{- $least := 60 -}}
{{- range .minutes -}}
{{- $pause = min $pause (sub (int .) $before) -}}
{{- $before = int . -}}
{{- $least = min $least (int .) -}}
{{- end -}}
{{- if .minutes -}}
{{- $pause = min $pause (sub (add 60 $least) $before) -}}
{{- $spread := ternary (div $pause 10) (trimSuffix "m" .spread | int) (empty .spread) -}}
{{- min $spread $pause (sub 60 $before) -}}
{{- else -}}
0
{{- end -}}
{{- end -}}
