"""From what was retrieved to what the model reads: format, budget, escaping, fence, prompt (S69, S70)."""
