"""External agents: functions and programs of your own, in their own processes; see PROTOCOL.md."""
