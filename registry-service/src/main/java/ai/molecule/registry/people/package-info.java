/**
 * People with names: accounts of the platform with a password, or with an identity at a provider of OpenID Connect; their roles for the
 * organisation and for branches of it; links that work once, by which they come; and their tokens for programs. What a credential of
 * theirs opens is decided by {@link ai.molecule.common.auth.Guards}, from what {@code person_of} reads together with all other credentials.
 */
@NullMarked
package ai.molecule.registry.people;

import org.jspecify.annotations.NullMarked;
