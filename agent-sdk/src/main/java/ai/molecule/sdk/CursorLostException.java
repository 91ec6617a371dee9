package ai.molecule.sdk;

/**
 * The platform knows the row no more that {@code since_id} names (410): it was pruned, or never was one of this workspace.
 * Asking again without a cursor gives the newest messages; some of them may have been handled before.
 *
 * <pre>{@code
 * try {
 *     messages = client.fetchInbound(InboundQuery.newest(100).since(lastId));
 * } catch (CursorLostException e) {
 *     messages = client.fetchInbound(InboundQuery.newest(100));
 * }
 * }</pre>
 */
public final class CursorLostException extends PlatformException {

    private static final long serialVersionUID = 1L;

    CursorLostException(String error) {
        super(410, error);
    }
}
