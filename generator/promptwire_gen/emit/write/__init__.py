"""The writing module of a wire: functions and tables that write requests as JSON."""
