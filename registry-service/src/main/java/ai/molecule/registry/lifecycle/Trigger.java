package ai.molecule.registry.lifecycle;

/** What can change a workspace's status. */
public enum Trigger {
    REGISTERED,
    HEARTBEAT,
    ERRORS_HIGH,
    ERRORS_LOW,
    SILENCE,
    PROCESS_EXIT,
    START_FAILURE,
    RESTART,
    PAUSE,
    RESUME,
    IDLENESS,
    WAKING,
    REMOVAL
}
