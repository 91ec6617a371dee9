package ai.molecule.sdk;

/**
 * The platform wants the workspace's token and this agent has none, or one that is not valid any more. Trying again does not
 * help: the platform issues a token once and shows it to nobody again. The message says what a person can do.
 *
 * <pre>{@code
 * try {
 *     client.register();
 * } catch (TokenLostException e) {
 *     System.err.println(e.getMessage());
 *     System.exit(2);
 * }
 * }</pre>
 */
public final class TokenLostException extends PlatformException {

    private static final long serialVersionUID = 1L;

    TokenLostException(ClientConfig config, boolean hadToken, String error) {
        super(401, sentence(config, hadToken, error));
    }

    private static String sentence(ClientConfig config, boolean hadToken, String error) {
        String where = config.tokens().toString();
        String what = hadToken
                ? "the token in " + where + " is not valid any more"
                : "the platform has issued a token to this workspace before, and there is none in " + where;
        return error + " (" + what
                + "). Put the token back there, or let whoever runs the platform make a new one with POST "
                + config.platformUrl() + "/workspaces/" + config.workspaceId()
                + "/tokens and give it to the agent (molecule connect --token, or RemoteAgentClient.saveToken)";
    }
}
