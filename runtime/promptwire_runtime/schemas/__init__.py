"""JSON Schema of what Python declares: functions, models, annotations; and data as what they declare."""
