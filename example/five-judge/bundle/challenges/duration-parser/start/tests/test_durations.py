import durations


def test_seconds():
    assert durations.parse("90s") == 90


def test_minutes():
    assert durations.parse("15m") == 900


def test_three_parts():
    assert durations.parse("2h45m10s") == 9910


def test_show_minutes():
    assert durations.show(905) == "15m5s"
