/**
 * The page people see: static files out of the jar of the module canvas, listed there, read once at the start and held in memory.
 * Open to everybody, because there is nothing in them; what the page then asks for has the guards of the API.
 */
@NullMarked
package ai.molecule.events.pages;

import org.jspecify.annotations.NullMarked;
