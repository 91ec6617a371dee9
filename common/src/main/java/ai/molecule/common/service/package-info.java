/**
 * What every service does around its own work: open stores, listen, report health, stop cleanly.
 */
@NullMarked
package ai.molecule.common.service;

import org.jspecify.annotations.NullMarked;
