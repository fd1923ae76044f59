"""External agents: functions and programs of your own, in processes of their own; see PROTOCOL.md."""
