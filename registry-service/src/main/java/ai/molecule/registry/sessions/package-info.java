/**
 * Sessions: a person at a page shows the {@code ADMIN_TOKEN} once and then holds a cookie that no script can read, and keeps a secret of its origin. What both open is
 * decided by {@link ai.molecule.common.http.SessionCookie}; that it still holds, by {@code tokens}, like every other credential.
 */
@NullMarked
package ai.molecule.registry.sessions;

import org.jspecify.annotations.NullMarked;
