package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.UUID;

/** Tokens of a workspace were issued or revoked. Published before the request that did it is answered. */
public record TokensChanged(UUID workspaceId) {

    public static final Hint<TokensChanged> HINT = new Hint<>("hint.tokens-changed", TokensChanged.class);
}
