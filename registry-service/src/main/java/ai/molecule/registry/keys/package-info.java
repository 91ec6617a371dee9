/**
 * The organisation's keys, and all that is signed with them: pair tokens, the ends of the audit chain, cards. {@link
 * ai.molecule.registry.keys.Issuer} is the one place that signs; {@link ai.molecule.registry.keys.OrganisationKeys} knows with which key,
 * and what is published at {@code /.well-known/jwks.json}.
 */
@NullMarked
package ai.molecule.registry.keys;

import org.jspecify.annotations.NullMarked;
