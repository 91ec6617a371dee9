package ai.molecule.sdk.plugins;

/**
 * A plugin is not what it should be: its archive is malformed or hostile, or its files do not have the checksum it names. The
 * message can be shown to a person.
 *
 * <pre>{@code
 * try {
 *     client.installPlugin("notes");
 * } catch (PluginException e) {
 *     System.err.println(e.getMessage());
 * }
 * }</pre>
 */
public final class PluginException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public PluginException(String message) {
        super(message);
    }

    public PluginException(String message, Throwable cause) {
        super(message, cause);
    }
}
