"""What makes a run go by itself: a backend is asked, its work is looked at, the run moves on."""
