"""URLs of the recycle bin, lifetimes and capacity, below /s/<space>/."""

from django.urls import path

from memory.retention import bin_views, views

urlpatterns = [
    path("bin/", bin_views.recycle_bin_page, name="bin"),
    path("bin/chart/", bin_views.chart, name="bin_chart"),
    path("bin/restore/", bin_views.restore, name="bin_restore"),
    path("bin/put-back/<uuid:action_id>/", bin_views.put_back, name="bin_put_back"),
    path("bin/purge/", bin_views.purge, name="bin_purge"),
    path("lifetimes/", views.lifetimes, name="lifetimes"),
    path("lifetimes/capacity/", views.capacity, name="lifetimes_capacity"),
    path("lifetimes/sweep/", views.sweep, name="lifetimes_sweep"),
    path("lifetimes/<uuid:memory_id>/extend/", views.extend, name="memory_extend"),
]
