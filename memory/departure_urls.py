"""Addresses of what leaves and of what is about to, below /s/<space>/."""

from django.urls import path

from memory.views import bin, history, jobs, lifetimes

urlpatterns = [
    path("bin/", bin.recycle_bin_page, name="bin"),
    path("bin/chart/", bin.chart, name="bin_chart"),
    path("bin/restore/", bin.restore, name="bin_restore"),
    path("bin/put-back/", bin.put_back, name="bin_put_back"),
    path("bin/purge/", bin.purge, name="bin_purge"),
    path("bin/history/", history.history, name="bin_history"),
    path("lifetimes/", lifetimes.lifetimes, name="lifetimes"),
    path("lifetimes/capacity/", lifetimes.capacity, name="lifetimes_capacity"),
    path("lifetimes/sweep/", jobs.sweep, name="lifetimes_sweep"),
    path("lifetimes/<uuid:memory_id>/extend/", lifetimes.extend, name="memory_extend"),
]
