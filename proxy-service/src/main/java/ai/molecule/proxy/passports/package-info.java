/**
 * What travels along with a message on somebody's behalf: {@link ai.molecule.proxy.passports.PassportBook} asks the registry for the passport
 * of whoever is asked next, once for a passport and a target.
 */
@NullMarked
package ai.molecule.proxy.passports;

import org.jspecify.annotations.NullMarked;
