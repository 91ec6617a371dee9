/**
 * Signing in by OpenID Connect: the authorization code flow with PKCE, state, nonce and the issuer's own word in the answer, against what
 * the provider's discovery document says. What a provider signs is checked with its published keys; who that is here, {@code people} knows.
 */
@NullMarked
package ai.molecule.registry.signins;

import org.jspecify.annotations.NullMarked;
