package ai.molecule.common.bus.hints;

import ai.molecule.common.bus.Hint;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of a workspace were issued or revoked, or an org token was revoked. Published before the request that did it is answered.
 *
 * @param workspaceId null for an org token, which held for all of them
 */
public record TokensChanged(@Nullable UUID workspaceId) {

    public static final Hint<TokensChanged> HINT = new Hint<>("hint.tokens-changed", TokensChanged.class);
}
