// A key, `<provider instance>:<native id>`, names one thread of a provider.
// writes: none
// returns: none
CREATE CONSTRAINT provider_thread_key IF NOT EXISTS FOR (p:ProviderThread)
REQUIRE p.providerThreadKey IS UNIQUE
