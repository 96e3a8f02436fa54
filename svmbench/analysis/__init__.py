"""What stored runs say together: costs to reach a target, two groups compared, profiles over problems."""
