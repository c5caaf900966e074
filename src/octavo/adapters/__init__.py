"""octavo inside other frameworks: each module is for one, and needs the extra of its name."""
