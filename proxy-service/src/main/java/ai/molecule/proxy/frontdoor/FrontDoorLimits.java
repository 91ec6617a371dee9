package ai.molecule.proxy.frontdoor;

import java.time.Duration;

/**
 * Time at the gateway.
 *
 * @param ownerSilence how long the owner of a WebSocket or event stream may send nothing; both ends are closed then, and clients come back.
 *     Owners send pings every 15 s and 30 s, so one that is silent for longer is gone or cut off
 */
public record FrontDoorLimits(Duration ownerSilence) {

    public static final FrontDoorLimits DEFAULT = new FrontDoorLimits(Duration.ofSeconds(75));
}
