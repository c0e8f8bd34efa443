"""The reading module of a wire: functions and tables that read JSON into the neutral model."""
