/**
 * The device flow (RFC 8628): a program without a page, such as the command line, shows a short code; a person who signed in at the page types
 * it and says what the program may; and the program, which asks again meanwhile, gets a token of that person's.
 */
@NullMarked
package ai.molecule.registry.devices;

import org.jspecify.annotations.NullMarked;
