/**
 * Org tokens: bearers that pass every guard an administrator passes, and every workspace's own. Made, listed and revoked here;
 * verified together with workspace tokens in {@code tokens}, because one statement answers for both.
 */
@NullMarked
package ai.molecule.registry.orgtokens;

import org.jspecify.annotations.NullMarked;
