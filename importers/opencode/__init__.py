"""Sessions of OpenCode: databases and the older folders of JSON, and what they say of threads."""
