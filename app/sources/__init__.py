"""Where knowledge comes from: websites, files, texts, their settings and schedules."""
