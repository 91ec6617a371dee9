/**
 * Delegation passports: what a person or a root task allows travels along from agent to agent, signed, and can only narrow. {@link
 * ai.molecule.registry.passports.Passport} has the rules and reads as a sentence, {@link ai.molecule.registry.passports.Passports} issues
 * them, and {@code POST /token} exchanges one for the next (RFC 8693).
 */
@NullMarked
package ai.molecule.registry.passports;

import org.jspecify.annotations.NullMarked;
