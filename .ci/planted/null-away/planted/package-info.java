@NullMarked
package planted;

import org.jspecify.annotations.NullMarked;
