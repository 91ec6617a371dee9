/**
 * The HTTP kit. A {@link ai.molecule.common.http.RoutePage} is a service's table of routes and guards; the handlers in front of it are
 * the same for all four services: request id, access log, metrics, well-formed targets, hosts, CORS, rate limit, tenant guard, security headers.
 */
@NullMarked
package ai.molecule.common.http;

import org.jspecify.annotations.NullMarked;
