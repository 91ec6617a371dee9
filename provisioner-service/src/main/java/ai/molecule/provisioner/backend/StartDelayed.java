package ai.molecule.provisioner.backend;

/** An agent cannot be started now; it is tried again until its provisioning timeout, and then fails with this reason. */
public final class StartDelayed extends StartFailure {

    private static final int REASON_MAX = 400;

    /** @param reason one sentence for people */
    public StartDelayed(String reason) {
        super(reason);
    }

    public String reason() {
        return String.valueOf(getMessage());
    }

    /** Of a failure that an engine or the machine gave in words of its own. */
    public static StartDelayed because(Throwable failure) {
        String words = String.valueOf(failure.getMessage() == null ? failure : failure.getMessage())
                .replaceAll("\\p{Cntrl}+", " ");
        return new StartDelayed("workspace start failed: " + words.substring(0, Math.min(words.length(), REASON_MAX)));
    }
}
