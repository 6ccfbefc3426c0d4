/** PAPI's library, for what counts with it and for what says whether that can be. */
#ifndef HOST_PAPI_H
#define HOST_PAPI_H

/** Its names, the newest first: PAPI refuses a caller who was written for another version, which the name says. */
#define RF_PAPI_SONAMES "libpapi.so.7.2", "libpapi.so.7.1", "libpapi.so.7.0", "libpapi.so.6.0"

#endif
