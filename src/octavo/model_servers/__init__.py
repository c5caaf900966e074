"""What clients of model servers share: failures as octavo's errors, bounded answers, trying again."""
