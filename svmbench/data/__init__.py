"""From a catalogue entry to a verified, prepared matrix with labels."""
