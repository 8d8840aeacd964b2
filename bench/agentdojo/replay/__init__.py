"""AgentDojo's trajectories, replayed without a model against rules over a session."""
