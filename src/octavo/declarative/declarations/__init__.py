"""What classes and actions declare: sources, searches, specifications; pure data, nothing is loaded."""
