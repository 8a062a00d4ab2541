"""The collector: a service that takes reports, keeps them, and answers questions about them.

It never imports the client or its coins: the collector cannot randomise for anyone.
"""
